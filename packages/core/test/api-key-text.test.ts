import { describe, expect, test } from '@jest/globals'
import { digestSecret, formatApiKey, parseApiKey } from '../src/access/api-key-text.ts'
import { keyRoles, permissions, rolePermissions } from '../src/access/permissions.ts'

const secret = Buffer.alloc(32, 0xa7)
const text = formatApiKey('abcd1234', secret)

describe('the text of a key', () => {
  test('is read as what it was made of', () => {
    expect(text).toMatch(/^queue_abcd1234_[\w-]{43}[0-9a-f]{8}$/)
    expect(parseApiKey(text)).toEqual({ id: 'abcd1234', digest: digestSecret(secret) })
  })

  test('is not read with any one letter changed, added or left out', () => {
    for (let place = 0; place < text.length; place += 1) {
      const other = text[place] === 'a' ? 'b' : 'a'
      const before = text.slice(0, place)
      const after = text.slice(place + 1)
      for (const wrong of [before + other + after, before + after, before + other + text.slice(place)]) {
        expect([wrong, parseApiKey(wrong)]).toEqual([wrong, undefined])
      }
    }
  })

  test.each(['', 'queue_', `${text}\n`, ` ${text}`, text.toUpperCase()])('is not %j', (wrong) => {
    expect(parseApiKey(wrong)).toBeUndefined()
  })
})

test('the role admin may do everything, and no other role may', () => {
  const whole = keyRoles.filter((role) => permissions.every((one) => rolePermissions[role].includes(one)))
  expect(whole).toEqual(['admin'])
})

test('only who may control jobs sees payloads by role', () => {
  const seeing = keyRoles.filter((role) => rolePermissions[role].includes('payload:read'))
  expect(seeing).toEqual(['operate', 'admin'])
})
