/** A process that makes one measurement, ordered as JSON on the command line, and prints its result as JSON. */
import { measure, type MeasurementOrder } from './measurement.ts'

const result = await measure(JSON.parse(process.argv[2] ?? '') as MeasurementOrder)
process.stdout.write(`${JSON.stringify(result)}\n`)
process.exit(0)
