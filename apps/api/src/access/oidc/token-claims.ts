// What a token that was verified says of its bearer.
import { limits } from '@queue/core'
import { isWithinBounds, type KeyRole, type Permission, type Rate, rolePermissions } from '@queue/core/access'
import { jobFields } from '@queue/core/fields'
import type { JWTPayload } from 'jose'
import type { Principal } from '../../http/principal.ts'

/** How the claims of an issuer become roles and tenants. */
export interface ClaimMapping {
  /** Where a token has its roles or groups: the name of a claim, or a JSON pointer. */
  readonly rolesClaim: string
  /** The role for each of those that count here; all others give nothing. */
  readonly roles: ReadonlyMap<string, KeyRole>
  /** Where a token has its tenants; undefined: whoever has a role has it for all. */
  readonly tenantsClaim: string | undefined
  /** The values of `rolesClaim` whose role holds for all tenants. */
  readonly allTenants: ReadonlySet<string>
}

/** The principal of a token; undefined when its subject is none that can be written down. */
export function principalOf(claims: JWTPayload, mapping: ClaimMapping): Principal | undefined {
  const { sub: id = '' } = claims
  if (!isStorableName(id)) return undefined
  const values = textsAt(claims, mapping.rolesClaim).filter((value) => mapping.roles.has(value))
  const permissionsOf = (granting: readonly string[]): ReadonlySet<Permission> =>
    new Set(granting.flatMap((value) => rolePermissions[mapping.roles.get(value) ?? 'read']))
  const everywhere =
    mapping.tenantsClaim === undefined ? values : values.filter((value) => mapping.allTenants.has(value))
  return {
    permissions: permissionsOf(everywhere),
    who: { type: 'subject', id, name: nameOf(claims) },
    untilMs: Math.floor((claims.exp ?? 0) * 1_000),
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
  /** The name of this API at the issuer. */
  readonly clientId: string
  readonly mapping: ClaimMapping
  readonly rate?: Rate | undefined
}

/**
 * Who somebody is that has signed in, by what the issuer has said then and the mapping of now. Undefined when another issuer
 * has said it, or it permits nothing.
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

/** The texts of a claim: one, or a list of them. What is no text is left out. */
function textsAt(claims: JWTPayload, claim: string): readonly string[] {
  const value = valueAt(claims, claim)
  return (Array.isArray(value) ? value : [value]).filter((one) => typeof one === 'string')
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

/** The first that a person could read; the id says the rest. */
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
