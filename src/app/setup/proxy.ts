// What a proxy in front needs to know of the service: one origin for all names, bodies of 48 MiB, streams that are passed on at
// once, and the names of MTA-STS policies, which come up as practices do. Pure.
import { HTTP_LISTEN } from './configuration.ts';

export const CADDY_FILE = '/etc/caddy/Caddyfile';
export const NGINX_FILE = '/etc/nginx/sites-available/sendwerk';

/** Certificates are got as names come up; Caddy asks first whether a name is served here. It sets X-Forwarded-For, and streams. */
export const caddyfile =
  (): string => `# Written by \`sendwerk setup\`. All names lead to the service, which says which ones are served.
{
	on_demand_tls {
		ask http://${HTTP_LISTEN}/api/public/tls-host
	}
}
https:// {
	tls {
		on_demand
	}
	request_body {
		max_size 49MiB
	}
	reverse_proxy ${HTTP_LISTEN}
}
`;

/** nginx gets no certificates: another program does, for each name. */
export const nginxSite = (
  host: string,
): string => `# Written by \`sendwerk setup\`. The certificate is another program's, as: certbot certonly --webroot -w /var/www/html -d ${host}
# Each host that receives mail has an MTA-STS policy under a name of its own (mta-sts.in.<domain>), which needs its place in
# server_name and in the certificate.
server {
	listen 80;
	listen [::]:80;
	server_name ${host};
	location /.well-known/acme-challenge/ { root /var/www/html; }
	location / { return 301 https://$host$request_uri; }
}
server {
	listen 443 ssl http2;
	listen [::]:443 ssl http2;
	server_name ${host};
	ssl_certificate /etc/letsencrypt/live/${host}/fullchain.pem;
	ssl_certificate_key /etc/letsencrypt/live/${host}/privkey.pem;
	ssl_protocols TLSv1.2 TLSv1.3;
	client_max_body_size 49m;
	location / {
		proxy_pass http://${HTTP_LISTEN};
		proxy_http_version 1.1;
		proxy_set_header Host $host;
		# The client's own value is not passed on: one proxy is believed.
		proxy_set_header X-Forwarded-For $remote_addr;
		proxy_set_header X-Forwarded-Proto $scheme;
		proxy_set_header Connection "";
		# Events are streamed, and uploads reach the service as they come.
		proxy_buffering off;
		proxy_request_buffering off;
		proxy_read_timeout 1h;
	}
}
`;
