import { readFile } from 'node:fs/promises'
import path from 'node:path'
import { expect, test } from '@jest/globals'
import { runScript } from './support/run-script.ts'

const folder = path.resolve(import.meta.dirname, '..')

test('src/generated/api.ts is what the OpenAPI document of the API makes it', async () => {
  const script = `import { generatedText } from './generated-text.ts'; process.stdout.write(await generatedText())`
  const { output } = await runScript(
    process.execPath,
    ['--input-type=module-typescript', '-e', script],
    folder,
  )
  expect(await readFile(path.join(folder, 'src/generated/api.ts'), 'utf8')).toBe(output)
})
