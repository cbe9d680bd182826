import { expect, test } from '@jest/globals'
import { serveWorker } from '../src/index.ts'

test.each([
  ['no program', [undefined, () => undefined], 'program must be an object'],
  ['a misspelt member', [{ name: 'mail', verson: '1' }, () => undefined], 'did you mean version?'],
  ['no version', [{ name: 'mail' }, () => undefined], 'version must be a text, not undefined'],
  [
    'a worker in place of a function',
    [{ name: 'mail', version: '1' }, {}],
    'createWorker must be a function',
  ],
])('serveWorker with %s is refused with a code', async (_, args, message) => {
  await expect(Reflect.apply(serveWorker, undefined, args)).rejects.toMatchObject({
    code: 'invalid_options',
    message: expect.stringContaining(message),
  })
})
