/**
 * The parameters of a property-based test. Prints the seed; `QUEUE_TEST_SEED` replays one. On a failure, fast-check prints
 * the path to the counterexample.
 */
export function seeded(name: string): { readonly seed: number }
export function seeded<Parameters extends object>(
  name: string,
  parameters: Parameters,
): Parameters & { readonly seed: number }
export function seeded(name: string, parameters: object = {}): object {
  const seedToReplay = process.env['QUEUE_TEST_SEED']
  const seed = seedToReplay === undefined ? Math.floor(Math.random() * 0x7fff_ffff) : Number(seedToReplay)
  process.stderr.write(`${name}: seed ${seed}\n`)
  return { ...parameters, seed }
}
