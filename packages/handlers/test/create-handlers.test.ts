import { describe, expect, test } from '@jest/globals'
import { createHandlers } from '../src/create-handlers.ts'
import { handlerSettingsSchema, missingSettings } from '../src/settings.ts'

describe('the handlers', () => {
  test('require only the settings of the kinds that are used', async () => {
    await expect(createHandlers({})).rejects.toMatchObject({
      code: 'invalid_options',
      issues: ['smtpUrl', 'from', 'results'].map((name) => ({ path: expect.arrayContaining([name]) })),
    })
    const built = await createHandlers({ kinds: ['webhook_delivery', 'summarize_text'] })
    expect(built.handlers.map(({ definition }) => definition.kind)).toEqual([
      'webhook_delivery',
      'summarize_text',
    ])
    await built.close()
    expect(
      missingSettings(handlerSettingsSchema.parse({ kinds: ['send_email'] })).map(({ path }) =>
        path.join('.'),
      ),
    ).toEqual(['email.smtpUrl', 'email.from'])
  })

  test('cannot be created with a file that does not exist', async () => {
    const options = {
      kinds: ['webhook_delivery' as const],
      webhooks: { secretsFile: '/nowhere/secrets.json' },
    }
    await expect(createHandlers(options)).rejects.toThrow('ENOENT')
    const email = { smtpUrl: 'smtp://localhost', from: 'a@example.com', caFile: '/nowhere/ca.pem' }
    await expect(createHandlers({ kinds: ['send_email'], email })).rejects.toThrow('ENOENT')
  })
})

const cases = {
  'email.smtpUrl': {
    accepted: ['smtp://mail:25', 'smtps://u:p%40@mail', 'SMTP://[::1]:25/'],
    refused: ['mail:25', 'http://mail', 'smtp://', 'smtp://mail/x'],
  },
  'email.from': {
    accepted: ['a@example.com'],
    refused: ['a', 'a@example.com\r\nbcc: b@example.com', 'A <a@example.com>'],
  },
  'images.results': {
    accepted: ['file:///results', 's3://bucket', 's3://bucket/a/b/'],
    refused: ['/results', 'file://host/results', 's3://', 'http://x', 's3://b?x'],
  },
  'images.s3Endpoint': { accepted: ['http://minio:9000', 'https://[::1]/'], refused: ['minio:9000', 'x'] },
  'outgoing.allow': {
    accepted: [[], ['a.internal:80', '[::1]:8080']],
    refused: [['a.internal'], ['http://a:80'], ['a:b']],
  },
  'outgoing.ports': { accepted: [[80], ['443']], refused: [[0], ['65536'], ['0x50'], []] },
}

test.each(Object.entries(cases))('%s accepts only usable values', (setting, values) => {
  const [group = '', name = ''] = setting.split('.')
  const parse = (value: unknown) => handlerSettingsSchema.safeParse({ [group]: { [name]: value } }).success
  expect(values.accepted.filter((value) => !parse(value))).toEqual([])
  expect(values.refused.filter(parse)).toEqual([])
})
