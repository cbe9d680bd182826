import { TestEnvironment } from 'jest-environment-node'

/** The environment of files that run as any module does: it fakes the timers of this process, where theirs are. */
export default class NativeEnvironment extends TestEnvironment {
  constructor(config, context) {
    super(config, context)
    const Timers = this.fakeTimersModern.constructor
    this.fakeTimersModern = new Timers({ config: config.projectConfig, global: globalThis })
  }
}
