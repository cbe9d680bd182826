import { execFile } from 'node:child_process'

/** Runs a program to its end; its code is not judged. */
export function runScript(
  program: string,
  args: readonly string[],
  cwd: string,
): Promise<{ readonly code: number; readonly output: string; readonly errors: string }> {
  return new Promise((resolve) => {
    execFile(program, args, { cwd, maxBuffer: 32 * 1_048_576 }, (error, stdout, stderr) => {
      const code = error === null ? 0 : typeof error.code === 'number' ? error.code : 1
      resolve({ code, output: stdout, errors: stderr })
    })
  })
}
