import { readFile } from 'node:fs/promises'
import openapiTypescript, { astToString } from 'openapi-typescript'

/** The document that the API is committed with; its own tests hold it to the code of the API. */
const document = new URL('../../apps/api/openapi.json', import.meta.url)

const preface = '// Made from the OpenAPI document of the API by `pnpm --filter @queue/client generate`.\n'

/** What src/generated/api.ts is when it is up to date. */
export async function generatedText(): Promise<string> {
  const source = await readFile(document, 'utf8')
  return preface + astToString(await openapiTypescript(source, { defaultNonNullable: false }))
}
