import { describe, expect, test } from '@jest/globals'
import { digestSecret, formatApiKey, parseApiKey } from '../../src/access/api-key-text.ts'
import { keyRoles, permissions, rolePermissions } from '../../src/access/permissions.ts'

const secret = Buffer.alloc(32, 0xa7)
const text = formatApiKey('abcd1234', secret)

describe('the text of a key', () => {
  test('parses to the id and the digest of the secret it was made from', () => {
    expect(text).toMatch(/^queue_abcd1234_[\w-]{43}[0-9a-f]{8}$/)
    expect(parseApiKey(text)).toEqual({ id: 'abcd1234', digest: digestSecret(secret) })
  })

  test('does not parse with any one letter changed, added or left out', () => {
    for (let index = 0; index < text.length; index += 1) {
      const otherLetter = text[index] === 'a' ? 'b' : 'a'
      const before = text.slice(0, index)
      const after = text.slice(index + 1)
      for (const wrong of [
        before + otherLetter + after,
        before + after,
        before + otherLetter + text.slice(index),
      ]) {
        expect([wrong, parseApiKey(wrong)]).toEqual([wrong, undefined])
      }
    }
  })

  test.each(['', 'queue_', `${text}\n`, ` ${text}`, text.toUpperCase()])('is not %j', (wrong) => {
    expect(parseApiKey(wrong)).toBeUndefined()
  })
})

test('the role admin may do everything, and no other role may', () => {
  const fullRoles = keyRoles.filter((role) =>
    permissions.every((permission) => rolePermissions[role].includes(permission)),
  )
  expect(fullRoles).toEqual(['admin'])
})

test('only roles that may control jobs may read payloads', () => {
  const payloadReaders = keyRoles.filter((role) => rolePermissions[role].includes('payload:read'))
  expect(payloadReaders).toEqual(['operate', 'admin'])
})
