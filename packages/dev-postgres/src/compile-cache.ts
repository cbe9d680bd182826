import { tmpdir } from 'node:os'
import path from 'node:path'

/**
 * The variable by which Node keeps what it has compiled, for processes and threads alike: as it is set, or for the whole
 * machine. Tests start the same sources many times over; compiled once, they load in half the time. For a child process with
 * an environment of its own.
 */
export const compileCache = {
  NODE_COMPILE_CACHE: process.env['NODE_COMPILE_CACHE'] ?? path.join(tmpdir(), 'node-compile-cache'),
} as const
