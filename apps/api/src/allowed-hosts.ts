import { isIP } from 'node:net'
import { z } from 'zod'
import type { AllowedHosts } from './http/foreign-pages.ts'

/** A list of hosts, as an environment variable has it. */
export const allowedHosts = z
  .string()
  .transform((text, context): AllowedHosts => {
    if (text === '*') return 'any'
    const hosts = text.split(',').map((host) => host.trim().toLowerCase())
    const invalid = hosts.find((host) => !isHost(host))
    if (invalid === undefined) return hosts
    context.addIssue({
      code: 'custom',
      message: `contains ${JSON.stringify(invalid)}, which is not a host without a port`,
    })
    return z.NEVER
  })
  .meta({
    accepted:
      'hosts without ports, separated by commas, such as queue.example.com,*.internal,10.1.2.3; * allows any host',
  })

function isHost(host: string): boolean {
  if (isIP(host) !== 0) return true
  return host.length <= 253 && /^(?:\*\.)?[a-z0-9_]([a-z0-9_-]{0,62})(\.[a-z0-9_-]{1,63})*$/.test(host)
}
