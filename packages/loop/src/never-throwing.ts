type Methods<Target> = { [Name in keyof Target]: (...args: never[]) => unknown }

export interface NeverThrowingOptions<Target> {
  /** The methods that are called; everything else of the target is left out. */
  readonly names: readonly (keyof Target & string)[]
  /** Told of the first fault; the later ones are the same one again and would only flood. */
  readonly onFault: (error: unknown) => void
}

/**
 * `target` with methods that neither throw nor reject: what the caller gave us to report to may be broken, and must
 * cost no job, no slot and not the process.
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
