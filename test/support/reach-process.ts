// Loaded before the daemon that a test file starts, where REACH is set: see reach.ts. One that is killed writes nothing.
import process from 'node:process';
import { countCalls, writeReach } from './reach.ts';

countCalls();
process.on('exit', writeReach);
