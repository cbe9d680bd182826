// `pnpm --filter @queue/client generate` writes src/generated/api.ts anew. A test fails while it is not up to date.
import { writeFile } from 'node:fs/promises'
import { generatedText } from './generated-text.ts'

await writeFile(new URL('src/generated/api.ts', import.meta.url), await generatedText())
