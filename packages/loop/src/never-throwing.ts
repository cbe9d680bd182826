type Methods<Target> = { [Name in keyof Target]: (...args: never[]) => unknown }

export interface NeverThrowingOptions<Target> {
  /** The methods to wrap; all other members of the target are left out. */
  readonly names: readonly (keyof Target & string)[]
  /** Called with the first error only, because later ones are probably the same. */
  readonly onFault: (error: unknown) => void
}

/**
 * Wraps `target` so that its methods neither throw nor reject. The caller's logger or observer may be broken, and that must not
 * cost a job, a slot or the process.
 */
export function neverThrowing<Target extends Methods<Target>>(
  target: Target,
  { names, onFault }: NeverThrowingOptions<Target>,
): Target {
  let hasFailed = false
  const reportFault = (error: unknown): void => {
    if (hasFailed) return
    hasFailed = true
    onFault(error)
  }
  const guarded =
    (name: keyof Target & string) =>
    (...args: never[]) => {
      try {
        const returned = target[name](...args)
        if (returned instanceof Promise) returned.catch(reportFault)
      } catch (error) {
        reportFault(error)
      }
    }
  return Object.fromEntries(names.map((name) => [name, guarded(name)])) as unknown as Target
}
