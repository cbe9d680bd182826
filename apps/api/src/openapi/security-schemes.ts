import type { OpenAPIRegistry } from '@asteasolutions/zod-to-openapi'
import { discoveryUrlOf } from '../access/oidc/issuer-url.ts'

/**
 * Registers the authentication schemes, and returns their names. The security requirement of an operation names the permission
 * that its caller needs.
 */
export function registerSecuritySchemes(registry: OpenAPIRegistry, issuer: string | undefined): string[] {
  registry.registerComponent('securitySchemes', 'bearer', {
    type: 'http',
    scheme: 'bearer',
    description:
      'An API key, the API token of the server (API_TOKEN), or a token of its OpenID Connect issuer (API_OIDC_ISSUER). ' +
      'The requirement of an operation names the permission that the caller needs. API_TOKEN has every permission. A ' +
      'server without authentication needs no credential.',
  })
  if (issuer === undefined) return ['bearer']
  registry.registerComponent('securitySchemes', 'oidc', {
    type: 'openIdConnect',
    openIdConnectUrl: discoveryUrlOf(issuer),
    description: 'A token of this issuer for this API, sent as a bearer token.',
  })
  return ['bearer', 'oidc']
}
