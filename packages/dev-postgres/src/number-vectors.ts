/** JSON numbers that a double keeps, so that each door takes them and returns the same value. A zero below zero is a zero. */
export const keptNumbers = [
  '9007199254740992',
  '-9007199254740991',
  '0',
  '0.1',
  '1.50',
  '100000000000000000000000',
  '1e21',
  '1.7976931348623157e308',
  '5e-324',
  '0.30000000000000004',
  '1234567890.123456',
  '0e10',
  '-0',
  '-0.0',
  '-0e5',
] as const

/** JSON numbers that a double does not keep, so that each door refuses them, and why. */
export const refusedNumbers: readonly (readonly [source: string, what: string])[] = [
  ['9007199254740993', '2^53 + 1'],
  ['-9007199254740993', 'its negative'],
  ['12345678901234567890', 'twenty digits'],
  ['[1, 12345678901234567890]', 'twenty digits in a list'],
  ['9007199254740994', 'an integer that a double keeps, which other integers become too'],
  ['100000000000000000000', 'the greatest such power of ten'],
  ['0.1000000000000000055511151231257827', 'more digits than a double has'],
  ['123456789.12345678901', 'digits around the point'],
  ['1e131000', 'a number that PostgreSQL could hold'],
  ['1e400', 'infinity'],
  ['-1E+400', 'its negative'],
  ['1e-400', 'nothing left'],
  ['-1e-400', 'its negative'],
]

/** Payloads with a member that each door refuses, because code that copies it may set a prototype. */
export const refusedMembers = [
  '{"__proto__":1}',
  '{"a":[{"b":null},{"__proto__":{}}]}',
  String.raw`{"\u005f_pr\u006fto__":1}`,
] as const

/** Payloads that only look like it. */
export const keptMembers = [
  '["__proto__"]',
  '{"a":"__proto__","constructor":{"prototype":1}}',
  String.raw`{"a\"__proto__":"{\"__proto__\": 1}","__proto":2,"x__proto__":3}`,
] as const
