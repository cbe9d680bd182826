// @boundaries-ignore every package's tests share the configuration of the repository
export { default } from '../../jest.base.mjs'
