"""Anthropic's memory tool: the model's files are kept by Everwhen, every version with its date.

    client.beta.messages.tool_runner(tools=[EverwhenMemoryTool(memory)], ...)
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from anthropic.lib.tools import ToolError
from anthropic.tools.memory import BetaAbstractMemoryTool, BetaAsyncAbstractMemoryTool

from everwhen import AsyncMemoryClient, MemoryClient
from everwhen.types import FileAnswer, FileCommand, Time

if TYPE_CHECKING:
    from anthropic.types.beta import (
        BetaMemoryTool20250818CreateCommand,
        BetaMemoryTool20250818DeleteCommand,
        BetaMemoryTool20250818InsertCommand,
        BetaMemoryTool20250818RenameCommand,
        BetaMemoryTool20250818StrReplaceCommand,
        BetaMemoryTool20250818ViewCommand,
    )
    from pydantic import BaseModel


def _read(command: BaseModel, as_of: Time | None = None) -> FileCommand:
    fields = command.model_dump(exclude_none=True, mode="json")
    return FileCommand(**fields) if as_of is None else FileCommand(**fields, as_of=as_of)


def _told(answer: FileAnswer) -> str:
    if answer.is_error:
        raise ToolError(answer.text)
    return answer.text


class EverwhenMemoryTool(BetaAbstractMemoryTool):
    """The tool for the blocking client."""

    def __init__(self, memory: MemoryClient, *, as_of: Time | None = None) -> None:
        super().__init__()
        self.memory = memory
        self.as_of = as_of
        """View the files as they stood at this time."""

    def view(self, command: BetaMemoryTool20250818ViewCommand) -> str:
        return _told(self.memory.run_file_command(_read(command, self.as_of)))

    def create(self, command: BetaMemoryTool20250818CreateCommand) -> str:
        return _told(self.memory.run_file_command(_read(command)))

    def str_replace(self, command: BetaMemoryTool20250818StrReplaceCommand) -> str:
        return _told(self.memory.run_file_command(_read(command)))

    def insert(self, command: BetaMemoryTool20250818InsertCommand) -> str:
        return _told(self.memory.run_file_command(_read(command)))

    def delete(self, command: BetaMemoryTool20250818DeleteCommand) -> str:
        return _told(self.memory.run_file_command(_read(command)))

    def rename(self, command: BetaMemoryTool20250818RenameCommand) -> str:
        return _told(self.memory.run_file_command(_read(command)))


class AsyncEverwhenMemoryTool(BetaAsyncAbstractMemoryTool):
    """The tool for the asynchronous client."""

    def __init__(self, memory: AsyncMemoryClient, *, as_of: Time | None = None) -> None:
        super().__init__()
        self.memory = memory
        self.as_of = as_of
        """View the files as they stood at this time."""

    async def view(self, command: BetaMemoryTool20250818ViewCommand) -> str:
        return _told(await self.memory.run_file_command(_read(command, self.as_of)))

    async def create(self, command: BetaMemoryTool20250818CreateCommand) -> str:
        return _told(await self.memory.run_file_command(_read(command)))

    async def str_replace(self, command: BetaMemoryTool20250818StrReplaceCommand) -> str:
        return _told(await self.memory.run_file_command(_read(command)))

    async def insert(self, command: BetaMemoryTool20250818InsertCommand) -> str:
        return _told(await self.memory.run_file_command(_read(command)))

    async def delete(self, command: BetaMemoryTool20250818DeleteCommand) -> str:
        return _told(await self.memory.run_file_command(_read(command)))

    async def rename(self, command: BetaMemoryTool20250818RenameCommand) -> str:
        return _told(await self.memory.run_file_command(_read(command)))
