// `pnpm --filter @queue/api-app openapi` writes openapi.json. A test fails while the file is out of date.
import { writeFileSync } from 'node:fs'
import { documentText } from './build-document.ts'

writeFileSync(new URL('../../openapi.json', import.meta.url), documentText())
