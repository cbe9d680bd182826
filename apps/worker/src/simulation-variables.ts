import { simulationSpeedMax, simulationSpeedMin } from '@queue/executor'
import { defineVariable, type ParsedText } from '@queue/service'

/** What only a worker with simulated work understands. */
export const simulationVariables = {
  WORKER_SIMULATION_SPEED: defineVariable({
    description: 'How fast the simulated work goes: 2 halves the durations of its steps, 0.5 doubles them.',
    accepted: `a number from ${simulationSpeedMin} to ${simulationSpeedMax}`,
    unset: { value: 1, shown: '1' },
    parse: parseSpeed,
  }),
}

function parseSpeed(text: string): ParsedText<number> {
  if (!/^\d+(\.\d+)?$/.test(text)) return { fault: 'is not a plain decimal number' }
  const value = Number(text)
  if (value < simulationSpeedMin) return { fault: 'is too small' }
  return value > simulationSpeedMax ? { fault: 'is too large' } : { value }
}
