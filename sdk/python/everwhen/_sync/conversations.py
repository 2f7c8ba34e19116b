# Generated from everwhen/_async/conversations.py by tools/sdk/generate; do not edit.
"""Conversations: entries between two pauses. List, show, end, fork, restore, import."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, Literal

from everwhen import _request, types
from everwhen._sync.entries import Entries
from everwhen._sync.pages import Pages
from everwhen.types import Time


class Conversations(Entries):
    """The part of a memory that is about conversations."""

    def conversations(
        self,
        *,
        state: Literal["open", "ended", "all"] | None = None,
        archived: Literal["false", "true", "all"] | None = None,
        after: Time | None = None,
        before: Time | None = None,
        as_of: Time | None = None,
        by: Literal["started", "ended"] | None = None,
        order: Literal["asc", "desc"] | None = None,
        limit: int | None = None,
    ) -> Pages[types.Conversation]:
        """Conversations: when they were, how long, what about; `as_of` shows them as they stood then."""
        request = _request.get(
            f"{self._path}/conversations",
            state=state,
            archived=archived,
            after=after,
            before=before,
            as_of=as_of,
            by=by,
            order=order,
        )
        return Pages(self._transport, types.Conversation, request, limit)

    def conversation(self, id: str, *, as_of: Time | None = None) -> types.ConversationDetail:
        """One conversation with its entries, by its id or by the name it has in its source; `as_of` shows it as it stood then."""
        return self._transport.send(types.ConversationDetail, _request.get(self._conversation(id), as_of=as_of))

    def end(
        self,
        conversation_id: str | None = None,
        *,
        reason: str | None = None,
        in_exchange: bool = False,
        idempotency_key: str | None = None,
    ) -> types.Conversation:
        """Ends a conversation now instead of waiting for a pause: the one named, else the open one. Inside an exchange that is stored afterwards, the user's next words still belong to it."""
        body = types.EndConversation(
            conversation_id=conversation_id, reason=reason, in_exchange=in_exchange or None
        )
        request = _request.write("POST", f"{self._path}/conversations/end", body, key=idempotency_key)
        return self._transport.send(types.Conversation, request)

    def fork(
        self, conversation_id: str, *, after: str, idempotency_key: str | None = None
    ) -> types.Forked:
        """Puts everything after one entry on a branch, so that the conversation goes on from that entry."""
        path = f"{self._conversation(conversation_id)}/fork"
        request = _request.write("POST", path, types.Fork(after=after), key=idempotency_key)
        return self._transport.send(types.Forked, request)

    def restore(self, conversation_id: str, *, idempotency_key: str | None = None) -> types.Conversation:
        """Brings an archived conversation back to the list."""
        path = f"{self._conversation(conversation_id)}/restore"
        return self._transport.send(types.Conversation, _request.write("POST", path, key=idempotency_key))

    def import_conversation(
        self,
        conversation: types.ImportedConversation | Mapping[str, Any],
        *,
        dry_run: bool = False,
        idempotency_key: str | None = None,
    ) -> types.Imported:
        """Takes in a conversation as another system kept it, with its own end, title and branches."""
        path = f"{self._path}/conversations/import"
        request = _request.write("POST", path, conversation, key=idempotency_key, dry_run=dry_run or None)
        return self._transport.send(types.Imported, request)

    def import_conversations(
        self,
        conversations: Iterable[types.ImportedConversation | Mapping[str, Any]],
        *,
        dry_run: bool = False,
        skip_forgotten: bool = False,
    ) -> types.ImportOutcomes:
        """Takes in several conversations in one durable write; one that cannot be stored leaves the others.

        With `skip_forgotten`, what was imported before and then forgotten stays forgotten.
        """
        path = f"{self._path}/conversations/import/batch"
        body = {"conversations": list(conversations)}
        request = _request.write(
            "POST", path, body, dry_run=dry_run or None, skip_forgotten=skip_forgotten or None
        )
        return self._transport.send(types.ImportOutcomes, request)

    def record_activities(
        self,
        conversation_id: str,
        activities: Iterable[types.Activity],
        *,
        idempotency_key: str | None = None,
    ) -> types.ConversationTime:
        """Says when models and tools were at work in a conversation."""
        path = f"{self._conversation(conversation_id)}/activities"
        body = types.NewActivities(activities=list(activities))
        request = _request.write("POST", path, body, key=idempotency_key)
        return self._transport.send(types.ConversationTime, request)

    def prompt(self) -> str:
        """The current and the last conversations as text for a model."""
        request = _request.get(f"{self._path}/conversations/prompt")
        return (self._transport.send(types.Prompt, request)).prompt

    def _conversation(self, id: str) -> str:
        return f"{self._path}/conversations/{_request.part(id)}"
