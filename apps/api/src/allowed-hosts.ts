import { isIP } from 'node:net'
import { defineVariable, type ParsedText, type Variable } from '@queue/service'
import type { AllowedHosts } from './http/foreign-pages.ts'

/** A list of hosts, as a variable has it. */
export function allowedHosts(options: { readonly description: string }): Variable<AllowedHosts | undefined> {
  return defineVariable<AllowedHosts | undefined>({
    description: options.description,
    accepted:
      'hosts without ports, separated by commas, such as queue.example.com,*.internal,10.1.2.3; * is any host',
    unset: { value: undefined, shown: 'any with API_TOKEN, none without' },
    parse: parseHosts,
  })
}

function parseHosts(text: string): ParsedText<AllowedHosts> {
  if (text === '*') return { value: 'any' }
  const hosts = text.split(',').map((host) => host.trim().toLowerCase())
  const bad = hosts.find((host) => !isHost(host))
  return bad === undefined
    ? { value: hosts }
    : { fault: `names ${JSON.stringify(bad)}, which is no host without a port` }
}

function isHost(host: string): boolean {
  if (isIP(host) !== 0) return true
  return host.length <= 253 && /^(?:\*\.)?[a-z0-9_]([a-z0-9_-]{0,62})(\.[a-z0-9_-]{1,63})*$/.test(host)
}
