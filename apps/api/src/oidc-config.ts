import type { KeyRole } from '@queue/core'
import { keyRoles } from '@queue/core/internal'
import { secret } from '@queue/service'
import { z } from 'zod'
import { issuerUrlFault } from './access/oidc/issuer-url.ts'
import type { ClaimMapping } from './access/oidc/token-claims.ts'

const listMax = 100

/** Parses a list of `value=role`. A value can itself contain the equals sign. */
const roleOfEach = z
  .string()
  .transform((text, context): ReadonlyMap<string, KeyRole> => {
    const entries = text.split(',').map((entry) => {
      const [, value = '', role] = /^\s*(.+)=\s*(\w+)\s*$/.exec(entry) ?? []
      return [value.trim(), keyRoles.find((keyRole) => keyRole === role)] as const
    })
    const known = entries.filter(
      (entry): entry is [string, KeyRole] => entry[0] !== '' && entry[1] !== undefined,
    )
    const roles = new Map(known)
    if (roles.size === entries.length) return roles
    const message =
      known.length === entries.length ? 'contains a value twice' : 'has an entry that is not VALUE=ROLE'
    context.addIssue({ code: 'custom', message })
    return z.NEVER
  })
  .meta({
    accepted: `VALUE=ROLE, separated by commas, such as queue-admins=admin,support=read; roles: ${keyRoles.join(', ')}`,
  })

const issuerUrl = z
  .string()
  .superRefine((text, context) => {
    const fault = issuerUrlFault(text)
    if (fault !== undefined) context.addIssue({ code: 'custom', message: fault })
  })
  .meta({ accepted: 'an https URL without query and fragment; http is allowed on a loopback address' })

const claim = z.string().min(1)

/** Which tokens of an OpenID Connect issuer are accepted, and which permissions they have. */
export const oidcVariables = {
  API_OIDC_ISSUER: issuerUrl.optional().meta({
    description:
      'OpenID Connect issuer, exactly as in its tokens. Requests can then send its tokens (JWT) instead of an API key, ' +
      'and must send a credential. The keys of the issuer are read by its discovery document.',
  }),
  API_OIDC_AUDIENCE: z.array(z.string().min(1)).min(1).max(listMax).optional().meta({
    unset: 'required with API_OIDC_ISSUER',
    description: 'Accepted audiences (aud). A token must have at least one of them.',
  }),
  API_OIDC_ROLES_CLAIM: claim.default('roles').meta({
    description:
      'Claim with the roles or groups of the subject: its name, or a JSON pointer such as /realm_access/roles.',
  }),
  API_OIDC_ROLES: roleOfEach.optional().meta({
    unset: 'required with API_OIDC_ISSUER',
    description:
      'The queue role of each value of that claim. Other values are ignored. A subject has the permissions of all its ' +
      'roles.',
  }),
  API_OIDC_TENANTS_CLAIM: claim.optional().meta({
    unset: 'subjects are not restricted to tenants',
    description:
      'Claim with the tenants of the subject, in the form of API_OIDC_ROLES_CLAIM. A subject can reach only these ' +
      'tenants. With several, each request must name one in the header Queue-Tenant.',
  }),
  API_OIDC_ALL_TENANTS: z.array(z.string().min(1)).min(1).max(listMax).optional().meta({
    unset: 'none',
    description:
      'Values of API_OIDC_ROLES_CLAIM whose role applies to all tenants, if API_OIDC_TENANTS_CLAIM is set.',
  }),
  API_OIDC_CLIENT_ID: z
    .string()
    .min(1)
    .optional()
    .meta({
      unset: 'the dashboard accepts only API keys and the token',
      description:
        'Client id of this API at the issuer, for signing in to the dashboard there (authorization code with PKCE). ' +
        'Register the URL of the API with the path /dashboard/session/issuer as redirect URI. The ID token must contain ' +
        'the roles and the tenants.',
    }),
  API_OIDC_CLIENT_SECRET: secret.optional().meta({
    unset: 'a public client',
    description: 'Client secret of this API at the issuer.',
  }),
  API_OIDC_SCOPES: z
    .string()
    .regex(/^openid(?: [\x21\x23-\x5b\x5d-\x7e]+)*$/, 'must begin with openid')
    .default('openid profile email')
    .meta({
      accepted: 'openid, followed by other scopes, separated by spaces',
      description: 'Scopes that the dashboard requests when someone signs in at the issuer.',
    }),
} as const

const variablesSchema = z.object(oidcVariables)

export type OidcConfig = z.output<typeof variablesSchema>

/** What is wrong with the combination of variables. Settings without an issuer would have no effect, and are refused. */
export function oidcFault(
  config: OidcConfig,
): { readonly path: string[]; readonly message: string } | undefined {
  const { API_OIDC_ISSUER: issuer, API_OIDC_ROLES: roles } = config
  const required = ['API_OIDC_AUDIENCE', 'API_OIDC_ROLES'] as const
  const optional = ['API_OIDC_TENANTS_CLAIM', 'API_OIDC_ALL_TENANTS', 'API_OIDC_CLIENT_ID'] as const
  if (issuer === undefined) {
    const set = [...required, ...optional].find((name) => config[name] !== undefined)
    return set && { path: [set], message: 'requires API_OIDC_ISSUER, which is not set' }
  }
  const missing = required.find((name) => config[name] === undefined)
  if (missing !== undefined) return { path: [missing], message: 'is required with API_OIDC_ISSUER' }
  if (config.API_OIDC_CLIENT_SECRET !== undefined && config.API_OIDC_CLIENT_ID === undefined) {
    return { path: ['API_OIDC_CLIENT_SECRET'], message: 'requires API_OIDC_CLIENT_ID, which is not set' }
  }
  const { API_OIDC_ALL_TENANTS: allTenants = [], API_OIDC_TENANTS_CLAIM: tenantsClaim } = config
  const path = ['API_OIDC_ALL_TENANTS']
  if (allTenants.length > 0 && tenantsClaim === undefined) {
    return {
      path,
      message: 'requires API_OIDC_TENANTS_CLAIM, which is not set: without it, every subject has all tenants',
    }
  }
  const unknown = allTenants.find((value) => !roles?.has(value))
  return unknown === undefined
    ? undefined
    : { path, message: `contains ${unknown}, which has no role in API_OIDC_ROLES` }
}

/** The settings of the issuer; undefined without one. */
export function oidcOf(config: OidcConfig) {
  const {
    API_OIDC_ISSUER: issuer,
    API_OIDC_AUDIENCE: audiences = [],
    API_OIDC_ROLES: roles = new Map(),
  } = config
  if (issuer === undefined) return undefined
  const mapping: ClaimMapping = {
    rolesClaim: config.API_OIDC_ROLES_CLAIM,
    roles,
    tenantsClaim: config.API_OIDC_TENANTS_CLAIM,
    allTenants: new Set(config.API_OIDC_ALL_TENANTS),
  }
  const { API_OIDC_CLIENT_ID: clientId, API_OIDC_CLIENT_SECRET: clientSecret } = config
  const client =
    clientId === undefined ? undefined : { clientId, clientSecret, scopes: config.API_OIDC_SCOPES.split(' ') }
  return { issuer, audiences, mapping, client }
}
