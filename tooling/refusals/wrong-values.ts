/** Values that callers in JavaScript pass by mistake, by what is wrong with them. Each call makes new ones. */
export function wrongValues(): Record<string, unknown> {
  const revoked = Proxy.revocable({}, {})
  revoked.revoke()
  return {
    nothing: undefined,
    null: null,
    'a fraction': 1.5,
    NaN: Number.NaN,
    'a negative number': -1,
    'a BigInt': 10n,
    'a boolean': true,
    'a text': 'text',
    'an empty text': '',
    'U+0000': 'a\u0000b',
    'a lone surrogate': 'a\uD800',
    'a huge text': 'x'.repeat(hugeLength),
    'a symbol': Symbol('wrong'),
    'an empty array': [],
    'an array of null': [null],
    'an empty object': {},
    'an object with an unknown member': { unknwon: 1 },
    'an object without a prototype': Object.create(null),
    'a member that throws': throwingMember(),
    'a proxy that throws': new Proxy({}, throwingTraps),
    'a revoked proxy': revoked.proxy,
    'a function that throws': () => {
      throw new Error('the function was called')
    },
    'an invalid date': new Date(Number.NaN),
  }
}

const hugeLength = 200_000

function throwingMember(): object {
  const get = (): never => {
    throw new Error('the member was read')
  }
  const names = ['kind', 'limit', 'schema', 'connectionString', 'signal', 'queue', 'name', 'service']
  return Object.defineProperties(
    {},
    Object.fromEntries(names.map((name) => [name, { get, enumerable: true }])),
  )
}

const fail = (): never => {
  throw new Error('the proxy was asked')
}

const throwingTraps: ProxyHandler<object> = {
  get: fail,
  has: fail,
  ownKeys: fail,
  getOwnPropertyDescriptor: fail,
  getPrototypeOf: fail,
}
