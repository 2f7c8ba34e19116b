-- How entries, conversations, facts and chapters stood before they were changed, each with the period in which
-- that was so, by the clock that gives creation times: questions as of an earlier moment are answered as they
-- were then. Forgetting removes these rows, or the words in them.

CREATE TABLE entry_past (
    vault_id        {id} NOT NULL,
    memory_id       {id} NOT NULL,
    entry_id        {id} NOT NULL,
    sequence        {number} NOT NULL,
    known_from      {time} NOT NULL,
    known_until     {time} NOT NULL,
    conversation_id {id} NOT NULL,
    branch_id       {id},
    branched_at     {time},
    tags            {names},
    PRIMARY KEY (vault_id, memory_id, entry_id, known_until)
);

CREATE INDEX entry_past_until ON entry_past (vault_id, memory_id, known_until);

CREATE TABLE conversation_past (
    vault_id        {id} NOT NULL,
    memory_id       {id} NOT NULL,
    id              {id} NOT NULL,
    known_from      {time} NOT NULL,
    known_until     {time} NOT NULL,
    name            {name},
    started_at      {time} NOT NULL,
    last_at         {time} NOT NULL,
    entries         {number} NOT NULL,
    ended_at        {time},
    ended_by        {small},
    end_reason      {text},
    title           {text},
    summary         {text},
    summary_by      {text},
    archived_at     {time},
    restored_at     {time},
    shelved_at      {time},
    distilled_at    {time},
    facts_dropped   {number} NOT NULL,
    retrospection   {text},
    retrospected_at {time},
    PRIMARY KEY (vault_id, memory_id, id, known_until)
);

CREATE INDEX conversation_past_until ON conversation_past (vault_id, memory_id, known_until);

CREATE TABLE fact_past (
    vault_id    {id} NOT NULL,
    memory_id   {id} NOT NULL,
    fact_id     {id} NOT NULL,
    known_from  {time} NOT NULL,
    known_until {time} NOT NULL,
    pinned_at   {time},
    written_by  {text} NOT NULL,
    PRIMARY KEY (vault_id, memory_id, fact_id, known_until)
);

CREATE INDEX fact_past_until ON fact_past (vault_id, memory_id, known_until);

CREATE TABLE chapter_past (
    vault_id       {id} NOT NULL,
    memory_id      {id} NOT NULL,
    id             {id} NOT NULL,
    known_until    {time} NOT NULL,
    first_at       {time} NOT NULL,
    first_sequence {number} NOT NULL,
    last_at        {time} NOT NULL,
    last_sequence  {number} NOT NULL,
    entries        {number} NOT NULL,
    digest         {bytes} NOT NULL,
    title          {text} NOT NULL,
    text           {text} NOT NULL,
    entities       {text} NOT NULL,
    key_phrases    {text} NOT NULL,
    written_by     {text} NOT NULL,
    creation_time  {time} NOT NULL,
    kind           {name} NOT NULL,
    source         {name},
    source_id      {name},
    source_time    {text},
    time_precision {number},
    time_from      {number},
    zone_from      {number},
    metadata       {text},
    PRIMARY KEY (vault_id, memory_id, id)
);

CREATE INDEX chapter_past_until ON chapter_past (vault_id, memory_id, known_until);
