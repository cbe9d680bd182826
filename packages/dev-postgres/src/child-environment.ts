import { tmpdir } from 'node:os'
import path from 'node:path'

/** The variables of curl, OpenSSL, Node and npm. Proxy variables are read in upper and lower case. */
const isForNetwork =
  /^(?:NODE_EXTRA_CA_CERTS|SSL_CERT_FILE|SSL_CERT_DIR|(?:HTTP|HTTPS|ALL|NO)_PROXY|p?npm_config_\w+)$/i

/**
 * The environment variables that a child process needs for the network: certificate authorities, proxies, and the settings
 * of npm. For a child process that does not inherit the environment.
 */
export function networkEnvironment(environment: NodeJS.ProcessEnv = process.env): NodeJS.ProcessEnv {
  return Object.fromEntries(Object.entries(environment).filter(([name]) => isForNetwork.test(name)))
}

/**
 * Node's compile cache, for child processes with an environment of their own: the folder that the variable names here, or one
 * for the whole machine. Tests start the same programs many times. With the cache they load in half the time.
 */
export const compileCache = {
  NODE_COMPILE_CACHE: process.env['NODE_COMPILE_CACHE'] ?? path.join(tmpdir(), 'node-compile-cache'),
} as const
