/**
 * A promise that reports when it is awaited or given a handler. If that never happens, its rejection does not end the
 * process; its creator decides what to do about it.
 */
export class AwaitedPromise<Value> extends Promise<Value> {
  /** `then` returns an ordinary promise, whose rejection its owner handles. */
  static override get [Symbol.species](): PromiseConstructor {
    return Promise
  }

  #onAwait: () => void = ignore

  /** Wraps `promise`. `onAwait` is called each time the promise is awaited. */
  static of<Value>(promise: Promise<Value>, onAwait: () => void): AwaitedPromise<Value> {
    const awaited = new AwaitedPromise<Value>((resolve) => resolve(promise))
    awaited.then(ignore, ignore)
    awaited.#onAwait = onAwait
    return awaited
  }

  // oxlint-disable-next-line unicorn/no-thenable -- it is the very method by which a promise is awaited.
  override then<Fulfilled = Value, Rejected = never>(
    onFulfilled?: ((value: Value) => Fulfilled | PromiseLike<Fulfilled>) | null,
    onRejected?: ((reason: unknown) => Rejected | PromiseLike<Rejected>) | null,
  ): Promise<Fulfilled | Rejected> {
    this.#onAwait()
    return super.then(onFulfilled, onRejected)
  }
}

function ignore(): void {}
