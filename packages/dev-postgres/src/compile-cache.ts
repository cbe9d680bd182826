import { tmpdir } from 'node:os'
import path from 'node:path'

/**
 * Node's compile cache, for child processes with an environment of their own: the folder that the variable names here, or one
 * for the whole machine. Tests start the same programs many times. With the cache they load in half the time.
 */
export const compileCache = {
  NODE_COMPILE_CACHE: process.env['NODE_COMPILE_CACHE'] ?? path.join(tmpdir(), 'node-compile-cache'),
} as const
