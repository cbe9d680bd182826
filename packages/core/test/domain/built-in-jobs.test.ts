import { describe, expect, test } from '@jest/globals'
import {
  builtInJobs,
  resizeImage,
  sendEmail,
  summarizeText,
  webhookDelivery,
} from '../../src/domain/built-in-jobs.ts'

const emailPayload = { to: 'ada@example.com', subject: 'Hello', body: 'text' }
const imagePayload = { source_url: 'https://example.com/a.png', width: 100, height: 100 }
const webhookPayload = { url: 'https://example.com/hook' }

const cases: {
  readonly [kind: string]: { readonly accepted: readonly object[]; readonly refused: readonly object[] }
} = {
  send_email: {
    accepted: [
      emailPayload,
      { ...emailPayload, subject: 's' },
      { ...emailPayload, subject: 's'.repeat(998) },
      { ...emailPayload, body: '' },
      { ...emailPayload, body: 'b'.repeat(262_144) },
      { ...emailPayload, body: 'é'.repeat(131_072) },
    ],
    refused: [
      {},
      { ...emailPayload, to: 'ada' },
      { ...emailPayload, to: ['ada@example.com'] },
      { ...emailPayload, to: 'ada@example.com\r\nbcc: eve@example.com' },
      { ...emailPayload, subject: '' },
      { ...emailPayload, subject: 's'.repeat(999) },
      { ...emailPayload, body: 'b'.repeat(262_145) },
      { ...emailPayload, body: 'é'.repeat(131_073) },
      { ...emailPayload, cc: 'eve@example.com' },
    ],
  },
  resize_image: {
    accepted: [
      imagePayload,
      { ...imagePayload, width: 1, height: 10_000 },
      { ...imagePayload, source_url: 'http://example.com:8080/x?y#z' },
      ...['jpeg', 'png', 'webp', 'avif'].map((format) => ({ ...imagePayload, format })),
    ],
    refused: [
      {},
      { ...imagePayload, width: 0 },
      { ...imagePayload, height: 10_001 },
      { ...imagePayload, width: 1.5 },
      { ...imagePayload, width: '100' },
      { ...imagePayload, format: 'gif' },
      ...['ftp://example.com/a', 'file:///etc/passwd', 'javascript:alert(1)', 'example.com/a', ''].map(
        (source_url) => ({
          ...imagePayload,
          source_url,
        }),
      ),
      { ...imagePayload, quality: 80 },
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
      webhookPayload,
      ...['POST', 'PUT', 'PATCH'].map((method) => ({ ...webhookPayload, method })),
      { ...webhookPayload, headers: { 'x-signature': 'abc', Accept: '*/*' } },
      { ...webhookPayload, secret_name: 's' },
      { ...webhookPayload, secret_name: 's'.repeat(100) },
      ...[null, 1, 'x', false, [], {}, { a: [{ b: null }] }].map((body) => ({ ...webhookPayload, body })),
    ],
    refused: [
      {},
      { url: 'ftp://example.com' },
      { ...webhookPayload, method: 'GET' },
      { ...webhookPayload, method: 'post' },
      { ...webhookPayload, headers: { 'x y': 'z' } },
      { ...webhookPayload, headers: { 'x-a': 'b\r\nx-admin: 1' } },
      { ...webhookPayload, headers: { 'x-a': 7 } },
      { ...webhookPayload, secret_name: '' },
      { ...webhookPayload, secret_name: 's'.repeat(101) },
      { ...webhookPayload, retries: 3 },
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
    sendEmail.create(emailPayload).kind,
    resizeImage.create(imagePayload as never).kind,
    summarizeText.create({ text: 't' }).kind,
    webhookDelivery.create(webhookPayload).kind,
  ]).toEqual(builtInJobs.map((job) => job.kind))
})
