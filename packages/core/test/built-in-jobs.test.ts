import { describe, expect, test } from '@jest/globals'
import {
  builtInJobs,
  resizeImage,
  sendEmail,
  summarizeText,
  webhookDelivery,
} from '../src/domain/built-in-jobs.ts'

const email = { to: 'ada@example.com', subject: 'Hello', body: 'text' }
const resizeImage = { source_url: 'https://example.com/a.png', width: 100, height: 100 }
const webhook = { url: 'https://example.com/hook' }

const cases: {
  readonly [kind: string]: { readonly accepted: readonly object[]; readonly refused: readonly object[] }
} = {
  send_email: {
    accepted: [
      email,
      { ...email, subject: 's' },
      { ...email, subject: 's'.repeat(998) },
      { ...email, body: '' },
      { ...email, body: 'b'.repeat(262_144) },
      { ...email, body: 'é'.repeat(131_072) },
    ],
    refused: [
      {},
      { ...email, to: 'ada' },
      { ...email, to: ['ada@example.com'] },
      { ...email, to: 'ada@example.com\r\nbcc: eve@example.com' },
      { ...email, subject: '' },
      { ...email, subject: 's'.repeat(999) },
      { ...email, body: 'b'.repeat(262_145) },
      { ...email, body: 'é'.repeat(131_073) },
      { ...email, cc: 'eve@example.com' },
    ],
  },
  resize_image: {
    accepted: [
      resizeImage,
      { ...resizeImage, width: 1, height: 10_000 },
      { ...resizeImage, source_url: 'http://example.com:8080/x?y#z' },
      ...['jpeg', 'png', 'webp', 'avif'].map((format) => ({ ...resizeImage, format })),
    ],
    refused: [
      {},
      { ...resizeImage, width: 0 },
      { ...resizeImage, height: 10_001 },
      { ...resizeImage, width: 1.5 },
      { ...resizeImage, width: '100' },
      { ...resizeImage, format: 'gif' },
      ...['ftp://example.com/a', 'file:///etc/passwd', 'javascript:alert(1)', 'example.com/a', ''].map(
        (source_url) => ({
          ...resizeImage,
          source_url,
        }),
      ),
      { ...resizeImage, quality: 80 },
    ],
  },
  summarize_text: {
    accepted: [
      { text: 't' },
      { text: 't'.repeat(100_000) },
      { text: 't', max_sentences: 1 },
      { text: 't', max_sentences: 50 },
    ],
    refused: [
      {},
      { text: '' },
      { text: 't'.repeat(100_001) },
      { text: 't', max_sentences: 0 },
      { text: 't', max_sentences: 51 },
      { text: 't', language: 'en' },
    ],
  },
  webhook_delivery: {
    accepted: [
      webhook,
      ...['POST', 'PUT', 'PATCH'].map((method) => ({ ...webhook, method })),
      { ...webhook, headers: { 'x-signature': 'abc', Accept: '*/*' } },
      { ...webhook, secret_name: 's' },
      { ...webhook, secret_name: 's'.repeat(100) },
      ...[null, 1, 'x', false, [], {}, { a: [{ b: null }] }].map((body) => ({ ...webhook, body })),
    ],
    refused: [
      {},
      { url: 'ftp://example.com' },
      { ...webhook, method: 'GET' },
      { ...webhook, method: 'post' },
      { ...webhook, headers: { 'x y': 'z' } },
      { ...webhook, headers: { 'x-a': 'b\r\nx-admin: 1' } },
      { ...webhook, headers: { 'x-a': 7 } },
      { ...webhook, secret_name: '' },
      { ...webhook, secret_name: 's'.repeat(101) },
      { ...webhook, retries: 3 },
    ],
  },
}

test('the catalogue is the four kinds of the contract', () => {
  expect(builtInJobs.map((job) => job.kind)).toEqual([
    'send_email',
    'resize_image',
    'summarize_text',
    'webhook_delivery',
  ])
})

describe.each(builtInJobs.map((job) => [job.kind, job] as const))('%s', (kind, job) => {
  const create = (payload: unknown): unknown => job.create(payload as never)

  test('accepts its payload up to each bound of the contract', () => {
    for (const payload of cases[kind]?.accepted ?? []) expect(() => create(payload)).not.toThrow()
  })

  test('refuses values one beyond a bound, of another form, and unknown members', () => {
    for (const payload of cases[kind]?.refused ?? [])
      expect(() => create(payload)).toThrow(expect.objectContaining({ code: 'invalid_job' }))
  })

  test('refuses payloads that are not objects', () => {
    for (const payload of [null, [], 'text', 7, undefined]) expect(() => create(payload)).toThrow()
  })
})

test('each definition creates requests of its own kind', () => {
  expect([
    sendEmail.create(email).kind,
    resizeImage.create(resizeImage as never).kind,
    summarizeText.create({ text: 't' }).kind,
    webhookDelivery.create(webhook).kind,
  ]).toEqual(builtInJobs.map((job) => job.kind))
})
