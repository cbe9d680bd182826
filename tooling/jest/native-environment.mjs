import { TestEnvironment } from 'jest-environment-node'

/** The environment of test files that run outside of a context: fake timers replace the timers of this process. */
export default class NativeEnvironment extends TestEnvironment {
  constructor(config, context) {
    super(config, context)
    const Timers = this.fakeTimersModern.constructor
    this.fakeTimersModern = new Timers({ config: config.projectConfig, global: globalThis })
  }
}
