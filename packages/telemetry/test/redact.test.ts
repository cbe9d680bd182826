import { describe, expect, test } from '@jest/globals'
import { redactConnectionString, redactText } from '../src/index.ts'

describe('redactConnectionString', () => {
  test.each([
    ['postgres://app:hunter2@db:5432/queue', 'postgres://app:***@db:5432/queue'],
    ['postgresql://app:hunter2@db/queue?sslmode=require', 'postgresql://app:***@db/queue?sslmode=require'],
    ['postgres://app:p@ss/w:rd@db/queue', 'postgres://app:***@db/queue'],
    ['postgres://app:two words@db/queue', 'postgres://app:***@db/queue'],
    ['postgres://app@server:hunter2@db/queue', 'postgres://app@server:***@db/queue'],
    ['postgres://:hunter2@db/queue', 'postgres://:***@db/queue'],
    ['postgres://db/queue?user=app&password=hunter2', 'postgres://db/queue?user=app&password=***'],
    ["host=db user=app password='hunter 2'", 'host=db user=app password=***'],
  ])('%s shows no password', (url, shown) => {
    expect(redactConnectionString(url)).toBe(shown)
  })

  test.each(['postgres://db:5432/queue', 'postgres://app@db:5432/queue', 'postgres://[::1]:5432/queue'])(
    '%s has no password and is unchanged',
    (url) => {
      expect(redactConnectionString(url)).toBe(url)
    },
  )
})

describe('redactText', () => {
  test('masks every connection string in a text at any position', () => {
    const text = 'tried postgres://a:secret1@h/d, then (postgresql://b:secret2@h/d) and "redis://c:secret3@h"'
    expect(redactText(text)).not.toMatch(/secret/)
  })

  test('masks bearer tokens and passwords inside JSON', () => {
    const text = 'Authorization: Bearer abc.def-123 {"password":"a\\"b","user":"app"}'
    expect(redactText(text)).toBe('Authorization: Bearer *** {"password":"***","user":"app"}')
  })

  test('takes time in proportion to the length of any text', () => {
    const size = 200_000
    const slowTexts = [
      'postgres://a:',
      'a.',
      'password=',
      "password='",
      'bearer ',
      'http://a:',
      '"password":"\\',
    ]
    const before = process.cpuUsage()
    for (const part of slowTexts) redactText(part.repeat(Math.ceil(size / part.length)))
    expect(process.cpuUsage(before).user / 1_000).toBeLessThan(2_000)
  })
})
