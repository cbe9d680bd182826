/**
 * A promise that tells whether anybody awaits it, or otherwise hears how it ends. Its rejection ends no process where nobody
 * does: whoever has made it acts on that.
 */
export class AwaitedPromise<Value> extends Promise<Value> {
  /** What follows from it is an ordinary promise, whose rejection is its owner's. */
  static override get [Symbol.species](): PromiseConstructor {
    return Promise
  }

  #onAwait: () => void = ignore

  /** `promise`, where `onAwait` is called as soon as somebody awaits it. */
  static of<Value>(promise: Promise<Value>, onAwait: () => void): AwaitedPromise<Value> {
    const made = new AwaitedPromise<Value>((resolve) => resolve(promise))
    made.then(ignore, ignore)
    made.#onAwait = onAwait
    return made
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
