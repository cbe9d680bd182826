import { expect, test } from '@jest/globals'
import { serveWorker } from '../src/index.ts'

const create = (): undefined => undefined
const refused: readonly (readonly [string, readonly unknown[], string])[] = [
  ['no program', [undefined, create], 'program must be an object'],
  ['a misspelt member', [{ name: 'mail', verson: '1' }, create], 'did you mean version?'],
  ['no version', [{ name: 'mail' }, create], 'version must be a text, not undefined'],
  [
    'a worker in place of a function',
    [{ name: 'mail', version: '1' }, {}],
    'createWorker must be a function',
  ],
]

test.each(refused)('serveWorker with %s is refused with a code', async (_, args, message) => {
  const served: Promise<unknown> = Reflect.apply(serveWorker, undefined, [...args])
  await expect(served).rejects.toMatchObject({
    code: 'invalid_options',
    message: expect.stringContaining(message),
  })
})
