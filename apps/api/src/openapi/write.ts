// `pnpm --filter @queue/api-app openapi` writes openapi.json anew. A test fails while it is not up to date.
import { writeFileSync } from 'node:fs'
import { documentText } from './build-document.ts'

writeFileSync(new URL('../../openapi.json', import.meta.url), documentText())
