// The part of dns-packet that the listener uses; the package has no types of its own.
declare module 'dns-packet' {
  /** `bytes` is the length that the last call wrote; the buffer that it returned may be longer. */
  interface Encoder<Value> {
    (value: Value): Buffer;
    bytes: number;
  }
  interface OptRecord {
    readonly name: '.';
    readonly type: 'OPT';
    readonly udpPayloadSize: number;
    readonly extendedRcode: number;
    readonly ednsVersion: number;
    readonly flags: number;
    readonly options: [];
  }
  interface DataRecord {
    readonly name: string;
    readonly type: string;
    readonly ttl: number;
    readonly data: string | object;
  }
  export const answer: { encode: Encoder<OptRecord | DataRecord> };
  export const name: { encode: Encoder<string> };
}
