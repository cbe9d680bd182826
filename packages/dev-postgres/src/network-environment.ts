/** As curl, OpenSSL, Node and npm name them; proxies are known in both cases. */
const isForNetwork =
  /^(?:NODE_EXTRA_CA_CERTS|SSL_CERT_FILE|SSL_CERT_DIR|(?:HTTP|HTTPS|ALL|NO)_PROXY|p?npm_config_\w+)$/i

/**
 * The variables without which a program finds no way out of this machine, or trusts nobody there: certificate
 * authorities, proxies, and the settings of npm. A child process with an environment of its own gets these as well.
 */
export function networkEnvironment(environment: NodeJS.ProcessEnv = process.env): NodeJS.ProcessEnv {
  return Object.fromEntries(Object.entries(environment).filter(([name]) => isForNetwork.test(name)))
}
