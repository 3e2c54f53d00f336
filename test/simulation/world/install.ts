// Replaces the parts of Node by which a program meets the world. To be imported before anything that keeps a reference to one of them.
import { syncBuiltinESMExports } from 'node:module';
import { createDice } from './dice.ts';
import { installFiles } from './files.ts';
import { installRandomness } from './randomness.ts';
import { installResolver } from './resolver.ts';
import { installSockets } from './sockets.ts';
import { installTime } from './time.ts';
import { beginWorld, World } from './world.ts';

/** What is loaded asks for the time; nothing happens in this world. */
const LOADED_AT = Date.UTC(2027, 0, 1);
beginWorld(new World(LOADED_AT, createDice(0, 0)));

installTime();
installRandomness();
installSockets();
installFiles();
installResolver();
syncBuiltinESMExports();
