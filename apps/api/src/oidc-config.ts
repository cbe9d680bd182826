import { type KeyRole, keyRoles } from '@queue/core/access'
import { secret } from '@queue/service'
import { z } from 'zod'
import { issuerUrlFault } from './access/oidc/issuer-url.ts'
import type { ClaimMapping } from './access/oidc/token-claims.ts'

const listMax = 100

/** `value=role` for each of a list. A value may itself have the sign. */
const roleOfEach = z
  .string()
  .transform((text, context): ReadonlyMap<string, KeyRole> => {
    const entries = text.split(',').map((entry) => {
      const [, value = '', role] = /^\s*(.+)=\s*(\w+)\s*$/.exec(entry) ?? []
      return [value.trim(), keyRoles.find((one) => one === role)] as const
    })
    const known = entries.filter(
      (entry): entry is [string, KeyRole] => entry[0] !== '' && entry[1] !== undefined,
    )
    const roles = new Map(known)
    if (roles.size === entries.length) return roles
    const message =
      known.length === entries.length ? 'names a value twice' : 'has an entry that is not VALUE=ROLE'
    context.addIssue({ code: 'custom', message })
    return z.NEVER
  })
  .meta({
    accepted: `VALUE=ROLE, separated by commas, such as queue-admins=admin,support=read; roles are ${keyRoles.join(', ')}`,
  })

const issuerUrl = z
  .string()
  .superRefine((text, context) => {
    const fault = issuerUrlFault(text)
    if (fault !== undefined) context.addIssue({ code: 'custom', message: fault })
  })
  .meta({ accepted: 'a URL with https, without query and fragment; on a loopback address also with http' })

const claim = z.string().min(1)

/** Which tokens of an OpenID Connect issuer are accepted, and what they permit. */
export const oidcVariables = {
  API_OIDC_ISSUER: issuerUrl.optional().meta({
    description:
      'An OpenID Connect issuer, exactly as its tokens name it: requests may then send its tokens (JWT) in the place of an API ' +
      'key, and need a credential. Its keys are read by its discovery document.',
  }),
  API_OIDC_AUDIENCE: z.array(z.string().min(1)).min(1).max(listMax).optional().meta({
    unset: 'needed with API_OIDC_ISSUER',
    description: 'What tokens are to be for (aud): one of these.',
  }),
  API_OIDC_ROLES_CLAIM: claim.default('roles').meta({
    description:
      'Where a token has the roles or groups of its subject: the name of a claim, or a JSON pointer, such as /realm_access/roles.',
  }),
  API_OIDC_ROLES: roleOfEach.optional().meta({
    unset: 'needed with API_OIDC_ISSUER',
    description:
      'The role of the queue for values of that claim. Other values give nothing; a subject has the permissions of all its roles.',
  }),
  API_OIDC_TENANTS_CLAIM: claim.optional().meta({
    unset: 'subjects are bound to no tenant',
    description:
      'Where a token has the tenants of its subject, as API_OIDC_ROLES_CLAIM. A subject reaches these alone; of several, each ' +
      'request names one in the header Queue-Tenant.',
  }),
  API_OIDC_ALL_TENANTS: z.array(z.string().min(1)).min(1).max(listMax).optional().meta({
    unset: 'none',
    description:
      'Values of API_OIDC_ROLES_CLAIM whose role holds for all tenants, where API_OIDC_TENANTS_CLAIM is set.',
  }),
  API_OIDC_CLIENT_ID: z
    .string()
    .min(1)
    .optional()
    .meta({
      unset: 'people sign in to the dashboard with a key',
      description:
        'The name of this API at the issuer, for those who sign in to the dashboard there (authorization code with PKCE). The ' +
        'address to register is that of the API with /dashboard/session/issuer. The ID token has to have the roles, and the tenants.',
    }),
  API_OIDC_CLIENT_SECRET: secret.optional().meta({
    unset: 'a public client',
    description: 'What this API proves to the issuer that it is that client with.',
  }),
  API_OIDC_SCOPES: z
    .string()
    .regex(/^openid(?: [\x21\x23-\x5b\x5d-\x7e]+)*$/, 'does not begin with openid')
    .default('openid profile email')
    .meta({
      accepted: 'openid, and others behind it, separated by spaces',
      description: 'What the issuer is asked for by those who sign in to the dashboard there.',
    }),
} as const

const variablesSchema = z.object(oidcVariables)

export type OidcConfig = z.output<typeof variablesSchema>

/** What is wrong with them together. What is set without an issuer would protect nothing, and is refused. */
export function oidcFault(
  config: OidcConfig,
): { readonly path: string[]; readonly message: string } | undefined {
  const { API_OIDC_ISSUER: issuer, API_OIDC_ROLES: roles } = config
  const needed = ['API_OIDC_AUDIENCE', 'API_OIDC_ROLES'] as const
  const more = ['API_OIDC_TENANTS_CLAIM', 'API_OIDC_ALL_TENANTS', 'API_OIDC_CLIENT_ID'] as const
  if (issuer === undefined) {
    const set = [...needed, ...more].find((name) => config[name] !== undefined)
    return set && { path: [set], message: 'is set, and API_OIDC_ISSUER is not' }
  }
  const missing = needed.find((name) => config[name] === undefined)
  if (missing !== undefined) return { path: [missing], message: 'is not set, and API_OIDC_ISSUER is' }
  if (config.API_OIDC_CLIENT_SECRET !== undefined && config.API_OIDC_CLIENT_ID === undefined) {
    return { path: ['API_OIDC_CLIENT_SECRET'], message: 'is set, and API_OIDC_CLIENT_ID is not' }
  }
  const { API_OIDC_ALL_TENANTS: allTenants = [], API_OIDC_TENANTS_CLAIM: tenantsClaim } = config
  const path = ['API_OIDC_ALL_TENANTS']
  if (allTenants.length > 0 && tenantsClaim === undefined) {
    return {
      path,
      message: 'is set, and API_OIDC_TENANTS_CLAIM is not: all subjects are for all tenants then',
    }
  }
  const unknown = allTenants.find((value) => !roles?.has(value))
  return unknown === undefined
    ? undefined
    : { path, message: `names ${unknown}, which API_OIDC_ROLES gives no role` }
}

/** The issuer with all that belongs to it; undefined where there is none. */
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
