/**
 * The parameters of a random test: its seed is printed, and `QUEUE_TEST_SEED` replays one.
 * fast-check itself says, on a failure, which path to the counterexample to take.
 */
export function seeded(name: string): { readonly seed: number }
export function seeded<Parameters extends object>(
  name: string,
  parameters: Parameters,
): Parameters & { readonly seed: number }
export function seeded(name: string, parameters: object = {}): object {
  const given = process.env['QUEUE_TEST_SEED']
  const seed = given === undefined ? Math.floor(Math.random() * 0x7fff_ffff) : Number(given)
  process.stderr.write(`${name}: seed ${seed}\n`)
  return { ...parameters, seed }
}
