// `npm run simulate -- --seed N [--steps K]`. The world is replaced first; everything that keeps a reference to Node comes after it.
import { drawn } from './world/real.ts';
import './world/install.ts';
import process from 'node:process';

process.exitCode = await (await import('./command.ts')).runCommand(process.argv.slice(2), drawn);
