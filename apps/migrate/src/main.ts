#!/usr/bin/env node
import { runMain } from '@queue/service'
import { program } from './program.ts'
import { runCommand } from './run-command.ts'

await runMain(program, runCommand)
