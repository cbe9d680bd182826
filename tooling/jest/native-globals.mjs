/**
 * The exports of `@jest/globals` for tests. Support files are loaded only once, but each test file has its own globals, so every
 * access is passed on to those of the current file.
 */
function current(name) {
  return passOn(
    () => globalThis[Symbol.for('queue.jest-globals')][name],
    (read, member) => read()[member],
  )
}

/** As `current`, and its members too: a support file that keeps `test.skip` would otherwise keep that of the first test file. */
function currentWithMembers(name) {
  return passOn(() => globalThis[Symbol.for('queue.jest-globals')][name], passOnMember)
}

function passOnMember(read, member) {
  return typeof read()[member] === 'function' ? passOn(() => read()[member], passOnMember) : read()[member]
}

function passOn(read, getMember) {
  return new Proxy(() => undefined, {
    apply: (_, self, args) => Reflect.apply(read(), self, args),
    get: (_, member) => getMember(read, member),
  })
}

export const afterAll = current('afterAll')
export const afterEach = current('afterEach')
export const beforeAll = current('beforeAll')
export const beforeEach = current('beforeEach')
export const describe = currentWithMembers('describe')
export const expect = current('expect')
export const it = currentWithMembers('it')
export const jest = current('jest')
export const test = currentWithMembers('test')
