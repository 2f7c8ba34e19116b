"""A memory: entries and conversations, and what was made of them: facts, chapters, summaries, the context document."""

from __future__ import annotations

from everwhen import _request, types
from everwhen._async.conversations import AsyncConversations
from everwhen._async.pages import AsyncPages
from everwhen._json import decode
from everwhen.types import Time


class AsyncMemoryClient(AsyncConversations):
    """One memory: a chat, a project, a person. Nothing is asked of the server until a method is called."""

    def facts(
        self,
        *,
        as_of: Time | None = None,
        about: str | None = None,
        all: bool | None = None,
        tag: str | None = None,
        pinned: bool | None = None,
        limit: int | None = None,
    ) -> AsyncPages[types.Fact]:
        """What is known: dated statements with their evidence, `as_of` a time, `about` a stretch such as "2025-04"."""
        path = f"{self._path}/facts"
        request = _request.get(path, as_of=as_of, about=about, all=all, tag=tag, pinned=pinned)
        return AsyncPages(self._transport, types.Fact, request, limit)

    async def fact(self, id: str) -> types.Fact:
        """One fact."""
        return await self._transport.send(types.Fact, _request.get(self._fact(id)))

    async def fact_history(self, id: str) -> list[types.Fact]:
        """Everything that was believed of the same matter as this fact."""
        page = await self._transport.json(_request.get(f"{self._fact(id)}/history"))
        return decode(list[types.Fact], page["data"])

    async def facts_text(self, *, all: bool | None = None, marks: bool | None = None) -> str:
        """The facts by month, as text for a model; `all` includes replaced ones, `marks` their priority."""
        request = _request.get(f"{self._path}/facts/text", all=all, marks=marks)
        return (await self._transport.send(types.FactsText, request)).text

    async def pin(self, id: str, *, off: bool = False, idempotency_key: str | None = None) -> types.Fact:
        """Pins a fact so that it is listed first in every list and briefing, or unpins it."""
        request = _request.write("POST", f"{self._fact(id)}/pin", types.Pin(pinned=not off), key=idempotency_key)
        return await self._transport.send(types.Fact, request)

    async def correct_fact(
        self,
        id: str,
        statement: str,
        *,
        matter: types.NewFactMatter | None = None,
        tags: list[str] | None = None,
        idempotency_key: str | None = None,
    ) -> types.Fact:
        """Replaces a fact with your own words; distilling again does not undo it."""
        body = types.NewFactText(statement=statement, matter=matter, tags=tags)
        request = _request.write("PUT", self._fact(id), body, key=idempotency_key)
        return await self._transport.send(types.Fact, request)

    async def remove_fact(self, id: str) -> types.FactRemoved:
        """Removes a fact; distilling the same words again does not bring it back."""
        return await self._transport.send(types.FactRemoved, _request.write("DELETE", self._fact(id)))

    async def profile(self) -> list[types.ProfileValue]:
        """What holds now, by key."""
        page = await self._transport.json(_request.get(f"{self._path}/profile"))
        return decode(list[types.ProfileValue], page["data"])

    async def events(self) -> list[types.Fact]:
        """What happened, by when it happened: facts that name a time, oldest first."""
        page = await self._transport.json(_request.get(f"{self._path}/timeline/events"))
        return decode(list[types.Fact], page["data"])

    async def summarize(self, conversation_id: str, *, idempotency_key: str | None = None) -> types.Conversation:
        """Has the title and the summary of an ended conversation written again, in the background."""
        path = f"{self._path}/conversations/{_request.part(conversation_id)}/summary"
        return await self._transport.send(types.Conversation, _request.write("POST", path, key=idempotency_key))

    async def context(self, *, version: int | None = None, as_of: Time | None = None) -> types.Context:
        """The context document: the newest, one version, or the one that stood at a time."""
        request = _request.get(f"{self._path}/context", version=version, as_of=as_of)
        return await self._transport.send(types.Context, request)

    async def put_context(
        self, content: str, *, at: Time | None = None, idempotency_key: str | None = None
    ) -> types.Context:
        """Writes the next version of the context document."""
        body = types.NewContext(content=content, conversation_time=at)
        request = _request.write("PUT", f"{self._path}/context", body, key=idempotency_key)
        return await self._transport.send(types.Context, request)

    async def rebuild_context(self, *, idempotency_key: str | None = None) -> types.Context:
        """Has the context document written from what is known."""
        request = _request.write("POST", f"{self._path}/context/rebuild", key=idempotency_key)
        return await self._transport.send(types.Context, request)

    def context_versions(self, *, limit: int | None = None) -> AsyncPages[types.Context]:
        """Every version of the context document, newest first."""
        request = _request.get(f"{self._path}/context/versions")
        return AsyncPages(self._transport, types.Context, request, limit)

    async def delete_context_version(self, version: int, *, idempotency_key: str | None = None) -> types.Removed:
        """Removes one version of the context document permanently; its number is not given again."""
        request = _request.write("DELETE", f"{self._path}/context/versions/{version}", key=idempotency_key)
        return await self._transport.send(types.Removed, request)

    async def run_file_command(
        self, command: types.FileCommand, *, idempotency_key: str | None = None
    ) -> types.FileAnswer:
        """Runs a command of Anthropic's memory tool on the files of this memory. Every version of a file stays, with its date."""
        request = _request.write("POST", f"{self._path}/files", command, key=idempotency_key)
        return await self._transport.send(types.FileAnswer, request)

    async def retrospection(self, *, limit: int | None = None) -> types.Retrospections:
        """What the language model wrote when it looked back at ended conversations."""
        return await self._transport.send(
            types.Retrospections, _request.get(f"{self._path}/retrospection", limit=limit)
        )

    async def retrospect(self, *, again: bool = False, idempotency_key: str | None = None) -> types.Regenerating:
        """Has the language model look back at ended conversations, in the background: those at which it has not yet, or all."""
        body = types.Retrospect(again=again)
        request = _request.write("POST", f"{self._path}/retrospection", body, key=idempotency_key)
        return await self._transport.send(types.Regenerating, request)

    def chapters(
        self, *, after: Time | None = None, before: Time | None = None, limit: int | None = None
    ) -> AsyncPages[types.Chapter]:
        """What the memory was about, in order."""
        request = _request.get(f"{self._path}/chapters", after=after, before=before)
        return AsyncPages(self._transport, types.Chapter, request, limit)

    async def import_chapters(
        self, chapters: types.ImportedChapters, *, dry_run: bool = False
    ) -> types.ChapterImport:
        """Takes chapters and a summary that another system wrote; the same again changes nothing."""
        request = _request.write("POST", f"{self._path}/chapters/import", chapters, dry_run=dry_run or None)
        return await self._transport.send(types.ChapterImport, request)

    async def summary(self) -> types.RollingSummary:
        """The rolling summary."""
        return await self._transport.send(types.RollingSummary, _request.get(f"{self._path}/summary"))

    def summary_versions(self, *, limit: int | None = None) -> AsyncPages[types.RollingSummary]:
        """Every version of the rolling summary, newest first."""
        request = _request.get(f"{self._path}/summary/versions")
        return AsyncPages(self._transport, types.RollingSummary, request, limit)

    async def distill(self, *, idempotency_key: str | None = None) -> types.Regenerating:
        """Has finished conversations turned into facts, chapters and summaries, in the background."""
        request = _request.write("POST", f"{self._path}/distill", key=idempotency_key)
        return await self._transport.send(types.Regenerating, request)

    async def retry_jobs(self, *, kind: str | None = None) -> types.RetriedJobs:
        """Has all jobs of this memory tried again that failed too often, or those of one kind."""
        request = _request.Request("POST", f"{self._path}/jobs/retry", query={"kind": kind})
        return await self._transport.send(types.RetriedJobs, request)

    async def regenerate(self, *, idempotency_key: str | None = None) -> types.Regenerating:
        """Has everything that was derived from the entries derived again, in the background."""
        request = _request.write("POST", f"{self._path}/regenerate", key=idempotency_key)
        return await self._transport.send(types.Regenerating, request)

    async def times(self) -> types.TextTimes:
        """When each message of another system was said, by the hash of its text."""
        return await self._transport.send(types.TextTimes, _request.get(f"{self._path}/times"))

    async def put_times(
        self, times: types.NewTextTimes, *, idempotency_key: str | None = None
    ) -> types.TextTimes:
        """Says when messages of another system were said."""
        request = _request.write("PUT", f"{self._path}/times", times, key=idempotency_key)
        return await self._transport.send(types.TextTimes, request)

    async def get(self) -> types.Memory:
        """What is known of the memory itself."""
        return await self._transport.send(types.Memory, _request.get(self._path))

    async def change(
        self, changes: types.MemoryPatch, *, idempotency_key: str | None = None
    ) -> types.Memory:
        """Changes the name, the description or the lifecycle."""
        request = _request.write("PATCH", self._path, changes, key=idempotency_key)
        return await self._transport.send(types.Memory, request)

    def _fact(self, id: str) -> str:
        return f"{self._path}/facts/{_request.part(id)}"
