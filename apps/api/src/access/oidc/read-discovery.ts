import { z } from 'zod'
import { discoveryUrlOf, issuerUrlFault } from './issuer-url.ts'
import { readDocument } from './read-document.ts'

const discoverySchema = z.object({
  issuer: z.string(),
  jwks_uri: z.string(),
  authorization_endpoint: z.string().optional(),
  token_endpoint: z.string().optional(),
})

export type Discovery = z.output<typeof discoverySchema>

/** Reads the discovery document of an issuer. Throws if it names another issuer. */
export async function readDiscovery(issuer: string): Promise<Discovery> {
  const discovery = discoverySchema.parse(await readDocument(discoveryUrlOf(issuer)))
  if (discovery.issuer !== issuer)
    throw new Error(`the discovery document names another issuer: ${discovery.issuer}`)
  safeUrl('jwks_uri', discovery.jwks_uri)
  return discovery
}

/** A URL of a discovery document. Throws if it is missing or not safe. */
export function safeUrl(name: keyof Discovery, url = ''): string {
  const fault = issuerUrlFault(url.replace(/\?.*$/, ''))
  if (fault !== undefined) throw new Error(`the ${name} ${url} ${fault}`)
  return url
}
