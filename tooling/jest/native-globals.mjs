/**
 * The exports of `@jest/globals` for tests. Support files are loaded only once, but each test file has its own globals, so every
 * access is passed on to those of the current file.
 */
function current(name) {
  const currentGlobal = () => globalThis[Symbol.for('queue.jest-globals')][name]
  return new Proxy(() => undefined, {
    apply: (_, self, args) => Reflect.apply(currentGlobal(), self, args),
    get: (_, member) => currentGlobal()[member],
  })
}

export const afterAll = current('afterAll')
export const afterEach = current('afterEach')
export const beforeAll = current('beforeAll')
export const beforeEach = current('beforeEach')
export const describe = current('describe')
export const expect = current('expect')
export const it = current('it')
export const jest = current('jest')
export const test = current('test')
