// The principal of a verified token.
import { limits, type Rate, type KeyRole, type Permission } from '@queue/core'
import { isWithinBounds, jobFields, rolePermissions } from '@queue/core/internal'
import type { JWTPayload } from 'jose'
import type { Principal } from '../../http/principal.ts'

/** How claims map to roles and tenants. */
export interface ClaimMapping {
  /** The claim with the roles or groups: its name, or a JSON pointer. */
  readonly rolesClaim: string
  /** The role of each value. Other values are ignored. */
  readonly roles: ReadonlyMap<string, KeyRole>
  /** The claim with the tenants; undefined: every role applies to all tenants. */
  readonly tenantsClaim: string | undefined
  /** The values of `rolesClaim` whose role applies to all tenants. */
  readonly allTenants: ReadonlySet<string>
}

/** The principal of a token; undefined if its subject cannot be stored in the audit log. */
export function principalOf(claims: JWTPayload, mapping: ClaimMapping): Principal | undefined {
  const { sub: id = '' } = claims
  if (!isStorableName(id)) return undefined
  const values = textsAt(claims, mapping.rolesClaim).filter((value) => mapping.roles.has(value))
  const permissionsOf = (roleValues: readonly string[]): ReadonlySet<Permission> =>
    new Set(roleValues.flatMap((value) => rolePermissions[mapping.roles.get(value) ?? 'read']))
  const everywhere =
    mapping.tenantsClaim === undefined ? values : values.filter((value) => mapping.allTenants.has(value))
  return {
    permissions: permissionsOf(everywhere),
    who: { type: 'subject', id, name: nameOf(claims) },
    expiresAtMs: Math.floor((claims.exp ?? 0) * 1_000),
    ...(mapping.tenantsClaim !== undefined && {
      tenants: {
        ids: [...new Set(textsAt(claims, mapping.tenantsClaim).filter(isTenant))],
        permissions: new Set([...permissionsOf(values)].filter(isWithinBounds)),
      },
    }),
  }
}

export interface SessionClaimsOptions {
  readonly issuer: string
  /** Client id of this API at the issuer. */
  readonly clientId: string
  readonly mapping: ClaimMapping
  readonly rate?: Rate | undefined
}

/**
 * Maps the claims of a session to a principal, by the current mapping. Undefined if another issuer made the claims, or if they
 * grant no permission.
 */
export function principalsOfClaims({ issuer, clientId, mapping, rate }: SessionClaimsOptions) {
  return (claims: JWTPayload): Principal | undefined => {
    const isForUs = claims.iss === issuer && [claims.aud].flat().includes(clientId)
    const principal = isForUs ? principalOf(claims, mapping) : undefined
    if (principal === undefined || permitsNothing(principal)) return undefined
    return { ...principal, ...(rate !== undefined && { rate }) }
  }
}

function permitsNothing({ permissions, tenants }: Principal): boolean {
  return (
    permissions.size === 0 &&
    (tenants === undefined || tenants.ids.length === 0 || tenants.permissions.size === 0)
  )
}

/** The strings of a claim, which is a string or a list. Other values are ignored. */
function textsAt(claims: JWTPayload, claim: string): readonly string[] {
  const value = valueAt(claims, claim)
  return (Array.isArray(value) ? value : [value]).filter((item) => typeof item === 'string')
}

function valueAt(claims: JWTPayload, claim: string): unknown {
  if (!claim.startsWith('/')) return memberOf(claims, claim)
  const names = claim.slice(1).split('/')
  return names
    .map((name) => name.replaceAll('~1', '/').replaceAll('~0', '~'))
    .reduce<unknown>((value, name) => memberOf(value, name), claims)
}

function memberOf(value: unknown, name: string): unknown {
  const isObject = typeof value === 'object' && value !== null && Object.hasOwn(value, name)
  return isObject ? (value as Record<string, unknown>)[name] : undefined
}

/** The first readable name; the id identifies the subject. */
function nameOf(claims: JWTPayload): string | undefined {
  const names = ['email', 'preferred_username', 'name'].map((claim) => memberOf(claims, claim))
  return names.find((name): name is string => typeof name === 'string' && isStorableName(name))
}

function isStorableName(text: string): boolean {
  return text.length <= limits.actorIdLengthMax && isTenant(text)
}

function isTenant(text: string): boolean {
  return jobFields.tenantId.safeParse(text).success
}
