type Methods<Target> = { [Name in keyof Target]: (...args: never[]) => unknown }

export interface NeverThrowingOptions<Target> {
  /** The methods that are called; everything else of the target is left out. */
  readonly names: readonly (keyof Target & string)[]
  /** Called with the first fault only: later ones are most likely the same. */
  readonly onFault: (error: unknown) => void
}

/**
 * `target` with methods that neither throw nor reject. The caller's logger or observer may be broken, which must not cost a
 * job, a slot or the process.
 */
export function neverThrowing<Target extends Methods<Target>>(
  target: Target,
  { names, onFault }: NeverThrowingOptions<Target>,
): Target {
  let faulty = false
  const fault = (error: unknown): void => {
    if (faulty) return
    faulty = true
    onFault(error)
  }
  const guarded =
    (name: keyof Target & string) =>
    (...args: never[]) => {
      try {
        const answer = target[name](...args)
        if (answer instanceof Promise) answer.catch(fault)
      } catch (error) {
        fault(error)
      }
    }
  return Object.fromEntries(names.map((name) => [name, guarded(name)])) as unknown as Target
}
