import { assertArguments, text as textRule } from '@queue/loop/arguments'

const mask = '***'

// Every pattern here runs in time linear in the text, because logged text may come from outsiders.

// A match extends to the next white space; maskRun then searches for the last @ in it.
const postgresRun = /\b(postgres(?:ql)?:\/\/[^\s:/]*):(\S*)/gi
// In other schemes (a proxy, a webhook) the authority ends at the first slash (RFC 3986).
const urlCredentials = /\b([a-z][a-z0-9+.-]{0,20}:\/\/[^\s:@/?#]*):[^\s@/?#]*@/gi
// The same secrets as a parameter of the URL, in libpq's "key=value" form, and as a member of JSON.
const passwordParameter = /\b((?:pg|ssl)?password\s*=\s*)('(?:[^'\\]|\\.)*'|[^\s&'"]+)/gi
const passwordMember = /("(?:pg|ssl)?password"\s*:\s*")(?:[^"\\]|\\.)*"/gi
const bearerToken = /\b(bearer\s+)[a-z0-9._~+/=-]+/gi

/** Masks the password of every connection string, and every bearer token, wherever they occur in a text. */
export function redactText(text: string): string {
  assertArguments('redactText', { text: textRule }, [text])
  return text
    .replace(postgresRun, maskRun)
    .replace(urlCredentials, `$1:${mask}@`)
    .replace(passwordParameter, `$1${mask}`)
    .replace(passwordMember, `$1${mask}"`)
    .replace(bearerToken, `$1${mask}`)
}

/**
 * A connection string without its password: user, host, port and database remain. Unlike redactText it treats the whole text as
 * one URL, so a password with white space is masked too.
 */
export function redactConnectionString(url: string): string {
  assertArguments('redactConnectionString', { url: textRule }, [url])
  const address = /^(\s*[a-z][a-z0-9+.-]{0,20}:\/\/[^:/]*):([^]*)$/i
  return redactText(url.replace(address, maskRun))
}

/**
 * A password may contain any character, even an unescaped @. The mask therefore extends to the last @: it may cover more than the
 * password, but never less. Without an @ there is no password, only a port.
 */
function maskRun(match: string, user: string, rest: string): string {
  const end = rest.lastIndexOf('@')
  return end < 0 ? match : `${user}:${mask}${rest.slice(end)}`
}

const secretKeys = new Set([
  'password',
  'passwd',
  'pgpassword',
  'secret',
  'token',
  'apitoken',
  'apikey',
  'accesstoken',
  'authorization',
  'proxyauthorization',
  'cookie',
  'setcookie',
])

/** Whether a field with this name is a secret, whatever its value. `lease_token` is a counter, not a secret. */
export function isSecretKey(key: string): boolean {
  return secretKeys.has(key.toLowerCase().replaceAll(/[_-]/g, ''))
}

/** The text that replaces a secret in a log. */
export const redacted = mask
