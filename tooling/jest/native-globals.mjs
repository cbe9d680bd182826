/** What a test imports from `@jest/globals`: support files are loaded once, and each test file has its own. */
function current(name) {
  const ofFile = () => globalThis[Symbol.for('queue.jest-globals')][name]
  return new Proxy(() => undefined, {
    apply: (_, self, given) => Reflect.apply(ofFile(), self, given),
    get: (_, member) => ofFile()[member],
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
