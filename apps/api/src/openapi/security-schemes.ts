import type { OpenAPIRegistry } from '@asteasolutions/zod-to-openapi'
import { discoveryUrlOf } from '../access/oidc/issuer-url.ts'

/**
 * Registers how a caller says who it is, and gives the names of these schemes. The requirement of an operation names the
 * permission that its caller needs.
 */
export function registerSecuritySchemes(registry: OpenAPIRegistry, issuer: string | undefined): string[] {
  registry.registerComponent('securitySchemes', 'bearer', {
    type: 'http',
    scheme: 'bearer',
    description:
      'An API key, the token of the server (API_TOKEN), or a token of its OpenID Connect issuer (API_OIDC_ISSUER), where the ' +
      'server demands one. The requirement of an operation names the permission that its caller needs. API_TOKEN has all.',
  })
  if (issuer === undefined) return ['bearer']
  registry.registerComponent('securitySchemes', 'oidc', {
    type: 'openIdConnect',
    openIdConnectUrl: discoveryUrlOf(issuer),
    description: 'A token of this issuer, for this API, as a bearer token.',
  })
  return ['bearer', 'oidc']
}
